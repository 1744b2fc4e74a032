"""Ways to show a match to others: pictures, the comic strip, pages inside other sites."""
