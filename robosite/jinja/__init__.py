"""The Jinja2 environment of the site's templates, and the functions that templates can call."""
