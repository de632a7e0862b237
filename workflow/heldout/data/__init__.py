"""From the user's table to prepared and sealed rows, and oracles, which know the true risk."""
