"""Ways that lead others to a match: pictures, the comic strip, pages inside other sites."""
