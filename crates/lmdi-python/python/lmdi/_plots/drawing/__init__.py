"""How plots are drawn: colours, categories, axes and ticks, names and numbers in words."""
