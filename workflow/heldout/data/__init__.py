"""From the user's table to prepared and sealed rows; oracles, whose truth is known."""
