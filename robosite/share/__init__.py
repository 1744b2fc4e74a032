"""Ways to show a match to others: pictures, a comic strip, and a page that other sites can embed."""
