"""Reads a QR code from a screenshot with the JavaScript library jsQR."""

import base64
from pathlib import Path

from playwright.sync_api import Locator, Page

SOURCE = Path(__file__).with_name("node_modules") / "jsqr" / "dist" / "jsQR.js"
READ = """async (text) => {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return jsQR(data, width, height)?.data ?? null;
}"""


def read_code(page: Page, picture: Locator) -> str | None:
    assert SOURCE.exists(), "jsQR is missing: make test-browser installs it"
    page.evaluate(SOURCE.read_text("utf-8"))
    seen = base64.b64encode(picture.screenshot()).decode()
    found: str | None = page.evaluate(READ, seen)
    return found
