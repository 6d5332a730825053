"""Players, their tokens, and refused uploads (`portal.models`)."""

import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=100, unique=True, verbose_name='name')),
                ('active', models.BooleanField(default=True, help_text="If not, all tokens of this player are refused.", verbose_name='active')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
            ],
            options={
                'verbose_name': 'player',
                'verbose_name_plural': 'players',
            },
        ),
        migrations.CreateModel(
            name='Refusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('refused_at', models.DateTimeField(db_index=True, verbose_name='refused at')),
                ('sender', models.CharField(max_length=80, verbose_name='sender')),
                ('file_name', models.CharField(blank=True, max_length=200, verbose_name='file name')),
                ('status_code', models.PositiveSmallIntegerField(verbose_name='status')),
                ('code', models.CharField(help_text='The stable code of the cause, as in the API.', max_length=40, verbose_name='cause')),
                ('detail', models.TextField(verbose_name='detail sent to the sender')),
                ('errors', models.JSONField(default=list, verbose_name='errors')),
            ],
            options={
                'verbose_name': 'refusal',
                'verbose_name_plural': 'refusals',
                'indexes': [models.Index(fields=['sender', 'refused_at'], name='refusal_sender')],
            },
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.BinaryField(max_length=32, unique=True)),
                ('hint', models.CharField(editable=False, max_length=12, verbose_name='begins with')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked at')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='portal.player', verbose_name='player')),
            ],
            options={
                'verbose_name': 'token',
                'verbose_name_plural': 'tokens',
            },
        ),
    ]
