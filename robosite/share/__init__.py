"""Ways to show a match to others, such as pictures, a comic strip, or a page that other sites embed."""
