package io.loligo.server.accesslog;

import io.loligo.server.accesslog.LogCode.Kind;
import io.loligo.server.record.ExchangeRecord;

/**
 * One field of a format: its value, made safe, then padded or cut to its width. A missing value is
 * {@code -}, never padded. Immutable.
 *
 * @param zero whether a number is padded with zeros
 * @param width least bytes; 0 for any
 * @param max most bytes; -1 for any
 */
record FieldPiece(
    Kind kind,
    LogCode.Source source,
    Quoting quoting,
    boolean left,
    boolean zero,
    int width,
    int max)
    implements LogFormat.Piece {

  @Override
  public void write(ExchangeRecord record, LogLine line) {
    int start = line.length();
    source.write(record, line);
    if (line.length() == start) {
      line.append('-');
      return;
    }
    if (!kind.numeric()) {
      if (!kind.ours()) {
        line.quote(start, quoting);
      }
      if (max >= 0) {
        line.truncate(start + max);
      }
    }
    if (width > 0) {
      line.pad(start, width, left && !zero, zero ? '0' : ' ');
    }
  }
}
