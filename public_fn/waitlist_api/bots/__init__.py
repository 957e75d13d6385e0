"""Bot protection: checks guests' signups with Turnstile or hCaptcha (decision 68)."""
