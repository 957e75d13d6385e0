"""Bot protection: checks signups of guests with Turnstile or hCaptcha (decision 68)."""
