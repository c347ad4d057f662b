# The formats that can be written.
tm-export --list-formats
