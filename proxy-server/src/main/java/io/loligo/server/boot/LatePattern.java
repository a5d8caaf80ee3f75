package io.loligo.server.boot;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import org.jspecify.annotations.Nullable;

/**
 * A pattern that is parsed for the first line of a log, after the ports are open: patterns and time
 * zones take some hundred classes. Confined to its appender, which calls it one line at a time.
 */
final class LatePattern extends EncoderBase<ILoggingEvent> {
  private static final byte[] NONE = {};

  private final String pattern;
  private @Nullable PatternLayoutEncoder parsed;

  LatePattern(String pattern) {
    this.pattern = pattern;
  }

  @Override
  public byte[] headerBytes() {
    return NONE;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    if (parsed == null) {
      parsed = new PatternLayoutEncoder();
      parsed.setContext(context);
      parsed.setPattern(pattern);
      parsed.start();
    }
    return parsed.encode(event);
  }

  @Override
  public byte[] footerBytes() {
    return NONE;
  }
}
