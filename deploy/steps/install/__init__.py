"""What a checkout needs beside Debian's packages: virtual environment, compiled module, JavaScript tools."""
