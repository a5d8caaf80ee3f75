package io.loligo.server.boot;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import org.jspecify.annotations.Nullable;

/**
 * A pattern that is parsed for the first line of a log, after the ports are open: patterns and time
 * zones take some hundred classes. Any thread: appenders encode lines without a lock.
 */
final class LatePattern extends EncoderBase<ILoggingEvent> {
  private static final byte[] NONE = {};

  private final String pattern;
  private volatile @Nullable PatternLayoutEncoder parsed;

  LatePattern(String pattern) {
    this.pattern = pattern;
  }

  @Override
  public byte[] headerBytes() {
    return NONE;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    PatternLayoutEncoder known = parsed;
    return (known == null ? parse() : known).encode(event);
  }

  private synchronized PatternLayoutEncoder parse() {
    PatternLayoutEncoder known = parsed;
    if (known == null) {
      known = new PatternLayoutEncoder();
      known.setContext(context);
      known.setPattern(pattern);
      known.start();
      parsed = known;
    }
    return known;
  }

  @Override
  public byte[] footerBytes() {
    return NONE;
  }
}
