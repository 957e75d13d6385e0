"""What maintenance does: finish, rebuild, watch over Redis, measure."""
