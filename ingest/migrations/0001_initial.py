"""Uploads, requeued uploads, and the switches of a locale (`ingest.models`)."""

import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='LocaleControl',
            fields=[
                ('locale', models.CharField(max_length=4, primary_key=True, serialize=False, verbose_name='locale')),
                ('intake_paused', models.BooleanField(default=False, help_text='Answer uploads with 503.', verbose_name='intake paused')),
                ('work_paused', models.BooleanField(default=False, help_text='Accept uploads, but merge none.', verbose_name='work paused')),
                ('note', models.CharField(blank=True, help_text='Shown to players while paused.', max_length=200, verbose_name='note')),
            ],
            options={
                'verbose_name': 'switch of a locale',
                'verbose_name_plural': 'switches of the locales',
            },
        ),
        migrations.CreateModel(
            name='Requeued',
            fields=[
                ('pk', models.CompositePrimaryKey('locale', 'upload', blank=True, editable=False, primary_key=True, serialize=False)),
                ('locale', models.CharField(max_length=4)),
                ('upload', models.UUIDField()),
            ],
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('locale', models.CharField(max_length=4, verbose_name='locale')),
                ('content_hash', models.BinaryField(max_length=32, verbose_name='content hash')),
                ('version', models.PositiveSmallIntegerField(help_text="Version of the addon's format: 42, 43 or 44.", verbose_name='version')),
                ('game_version', models.CharField(blank=True, max_length=200, verbose_name='version of the game')),
                ('sender', models.CharField(max_length=80, verbose_name='sender')),
                ('file_name', models.CharField(blank=True, max_length=200, verbose_name='file name')),
                ('size_bytes', models.PositiveIntegerField(help_text='Size of the XML, unwrapped.', verbose_name='size in bytes')),
                ('document_name', models.CharField(max_length=200, verbose_name='document')),
                ('archived', models.BooleanField(default=False, verbose_name='archived')),
                ('mobs', models.PositiveIntegerField(verbose_name='creatures')),
                ('positions', models.PositiveIntegerField(help_text='Coordinates as written, also unknown and repeated ones.', verbose_name='positions')),
                ('lootings', models.PositiveIntegerField(verbose_name='lootings')),
                ('ignored', models.JSONField(default=dict, help_text='Records kept but not merged yet, by element.', verbose_name='not merged')),
                ('status', models.CharField(choices=[('queued', 'queued'), ('staged', 'staged'), ('merged', 'merged'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn')], default='queued', max_length=9, verbose_name='status')),
                ('received_at', models.DateTimeField(db_index=True, verbose_name='received at')),
                ('staged_at', models.DateTimeField(blank=True, null=True, verbose_name='staged at')),
                ('merged_at', models.DateTimeField(blank=True, db_index=True, null=True, verbose_name='merged at')),
                ('rejected_at', models.DateTimeField(blank=True, null=True, verbose_name='rejected at')),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True, verbose_name='withdrawn at')),
                ('expired_at', models.DateTimeField(blank=True, null=True, verbose_name='document deleted at')),
                ('contribution', models.JSONField(blank=True, null=True, verbose_name='contribution')),
                ('reason', models.TextField(blank=True, help_text='Why it was rejected, or why the last try failed.', verbose_name='reason')),
                ('claimed_by', models.CharField(blank=True, max_length=40, verbose_name='claimed by')),
                ('lease_until', models.DateTimeField(blank=True, null=True, verbose_name='claimed until')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='tries')),
                ('retry_at', models.DateTimeField(blank=True, null=True, verbose_name='next try')),
                ('quarantine_step', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='How far it has been singled out, because work on it and others failed by what they hold.', verbose_name='quarantine step')),
            ],
            options={
                'verbose_name': 'upload',
                'verbose_name_plural': 'uploads',
                'indexes': [models.Index(condition=models.Q(('status', 'queued')), fields=['locale', 'received_at'], name='upload_queued'), models.Index(condition=models.Q(('status', 'staged')), fields=['locale', 'staged_at'], name='upload_staged'), models.Index(condition=models.Q(('archived', False)), fields=['id'], name='upload_not_archived'), models.Index(condition=models.Q(('status', 'withdrawn'), ('withdrawn_at__isnull', True)), fields=['locale', 'id'], name='upload_withdrawing'), models.Index(fields=['sender', 'received_at'], name='upload_sender'), models.Index(condition=models.Q(('document_name__gt', ''), ('expired_at__isnull', False)), fields=['locale', 'id'], name='upload_expiring'), models.Index(condition=models.Q(('quarantine_step__gt', 0)), fields=['locale', 'quarantine_step'], name='upload_quarantined')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'rejected'), _negated=True), fields=('locale', 'content_hash'), name='one_upload_per_content')],
            },
        ),
    ]
