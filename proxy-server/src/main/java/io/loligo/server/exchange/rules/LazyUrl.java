package io.loligo.server.exchange.rules;

import io.loligo.core.message.RequestTarget;
import org.jspecify.annotations.Nullable;

/**
 * The text that {@code refresh_pattern} compares, built on first use: the store id, or without one
 * the effective URI. Reusable. Confined to the event loop.
 */
final class LazyUrl implements CharSequence {
  private @Nullable RequestTarget target;
  private @Nullable String text;

  LazyUrl of(RequestTarget target) {
    this.target = target;
    this.text = null;
    return this;
  }

  @Override
  public int length() {
    return toString().length();
  }

  @Override
  public char charAt(int index) {
    return toString().charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return toString().subSequence(start, end);
  }

  @Override
  public String toString() {
    if (text == null) {
      assert target != null : "of comes first";
      text = target.ruledUrl();
    }
    return text;
  }
}
