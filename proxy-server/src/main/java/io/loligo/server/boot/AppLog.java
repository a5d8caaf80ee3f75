package io.loligo.server.boot;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application log: the console, and the file that {@code cache_log} names. Stateless. */
final class AppLog {
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0}: %msg%n";

  private AppLog() {}

  /** Writes to {@code path} too; null or {@code none}: nothing more. */
  static void addFile(String path) {
    if (path == null
        || path.equals("none")
        || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setContext(context);
    file.setName("cache_log");
    file.setFile(path);
    file.setEncoder(encoder);
    file.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(file);
  }
}
