"""Pictures of every type of page, in four sizes and two themes, to open and look at: `make screenshots`."""
