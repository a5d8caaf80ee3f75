package io.loligo.server.login;

import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.helper.HelperProgram;
import org.jspecify.annotations.Nullable;

/** A scheme by which users log in: the {@code auth_param} lines of one scheme. Immutable. */
public sealed interface SchemeSettings permits BasicSettings, DigestSettings, TokenSettings {
  /** Its name in {@code auth_param}, such as {@code basic}. */
  String scheme();

  /** Its program as a helper; null: the proxy does the work of the program itself. */
  @Nullable HelperProgram helper();

  /** {@code key_extras}: what a helper reads behind its question; null: nothing. */
  @Nullable KeyExtras extras();

  /**
   * A text about each request that its login depends on. Equal for equal texts.
   *
   * @param text codes of logformat
   * @param format the same, compiled
   */
  record KeyExtras(String text, LogFormat format) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof KeyExtras extras && extras.text.equals(text);
    }

    @Override
    public int hashCode() {
      return text.hashCode();
    }
  }
}
