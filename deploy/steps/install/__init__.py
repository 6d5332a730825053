"""What a checkout needs beside Debian's packages: the virtual environment, the compiled module, the JavaScript tools."""
