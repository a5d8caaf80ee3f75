package io.loligo.core.config;

/**
 * One value in force and where it comes from. Immutable.
 *
 * @param directive its name
 * @param value as written, secrets replaced
 * @param file empty for a default
 * @param line from 1; 0 for a default
 * @param secret whether something was replaced
 */
public record Setting(String directive, String value, String file, int line, boolean secret) {
  /** The same, with the size {@code now} if this is {@code name} and its size changes. */
  Setting withSize(String name, long before, long now) {
    return directive.equals(name) && before != now
        ? new Setting(directive, (now >> 20) + " MB", file, line, secret)
        : this;
  }

  /** {@code file:line}, or the empty string for a default. */
  public String source() {
    return file.isEmpty() ? "" : file + ":" + line;
  }
}
