"""Pictures of every type of page, in three sizes and two themes, to open and look at: `make screenshots`."""
