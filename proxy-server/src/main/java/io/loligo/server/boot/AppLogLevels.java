package io.loligo.server.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.loligo.server.jmx.LogLevels;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The levels of Logback's loggers. Stateless. */
final class AppLogLevels implements LogLevels {
  private static LoggerContext context() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      return context;
    }
    throw new IllegalStateException("the log of this process has no levels to change");
  }

  private static ch.qos.logback.classic.Logger logger(String name) {
    String wanted = name.strip();
    return context().getLogger(wanted.equals("ALL") ? Logger.ROOT_LOGGER_NAME : wanted);
  }

  @Override
  public Map<String, String> levels() {
    Map<String, String> levels = new TreeMap<>();
    for (ch.qos.logback.classic.Logger one : context().getLoggerList()) {
      if (one.getLevel() != null) {
        levels.put(one.getName(), one.getLevel().toString());
      }
    }
    return levels;
  }

  @Override
  public String level(String logger) {
    return logger(logger).getEffectiveLevel().toString();
  }

  @Override
  public void setLevel(String logger, String level) {
    Level wanted = levelOf(level.strip().toUpperCase(Locale.ROOT));
    ch.qos.logback.classic.Logger one = logger(logger);
    if (wanted == null && one.getName().equals(Logger.ROOT_LOGGER_NAME)) {
      throw new IllegalArgumentException("ROOT needs a level");
    }
    one.setLevel(wanted);
  }

  private static @Nullable Level levelOf(String text) {
    return switch (text) {
      case "" -> null;
      case "ERROR" -> Level.ERROR;
      case "WARN" -> Level.WARN;
      case "INFO" -> Level.INFO;
      case "DEBUG" -> Level.DEBUG;
      case "TRACE" -> Level.TRACE;
      default -> {
        if (!text.matches("[0-9]")) {
          throw new IllegalArgumentException(
              "level: " + text + " (expected: ERROR, WARN, INFO, DEBUG, TRACE, 0 to 9, or empty)");
        }
        yield AppLog.levelOf("ALL," + text);
      }
    };
  }
}
