"""Whether a person signs up, as Turnstile or hCaptcha says (decision 68)."""
