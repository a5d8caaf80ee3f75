package io.loligo.server.accesslog;

/**
 * The options of an access_log line. Immutable.
 *
 * @param bufferBytes {@code buffer-size=}; 0: none is given
 * @param endsProcess {@code on-error=die}: a line that cannot be written ends the process
 * @param rotate {@code rotate=}; negative: {@code logfile_rotate} holds
 */
record LogOptions(int bufferBytes, boolean endsProcess, int rotate) {
  /** The usual ones. */
  static final LogOptions NONE = new LogOptions(0, false, -1);

  /** The most bytes of {@code buffer-size=}: {@value}. */
  static final int MAX_BUFFER_BYTES = 64 << 20;
}
