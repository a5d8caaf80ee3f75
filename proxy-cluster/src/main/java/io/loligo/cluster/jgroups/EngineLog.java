package io.loligo.cluster.jgroups;

import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of the engine. Its lines are for its developers and say nothing of a next step, so all
 * are of the level DEBUG here; {@link JGroupsGroup} logs the events that matter. Thread-safe.
 */
@SuppressWarnings("AnnotateFormatMethod") // the texts are the engine's
final class EngineLog implements Log, CustomLogFactory {
  private final Logger logger = LoggerFactory.getLogger("io.loligo.cluster.engine");

  private EngineLog() {}

  /** Makes the engine log here, before it loads its other classes. Idempotent. */
  static void install() {
    if (!(LogFactory.getCustomLogFactory() instanceof EngineLog)) {
      LogFactory.setCustomLogFactory(new EngineLog());
    }
  }

  @Override
  public Log getLog(Class<?> part) {
    return this;
  }

  @Override
  public Log getLog(String category) {
    return this;
  }

  private void line(String text) {
    logger.debug("{}", text);
  }

  private void line(String format, Object... values) {
    if (logger.isDebugEnabled()) {
      logger.debug("{}", String.format(format, values));
    }
  }

  private void line(String text, Throwable cause) {
    logger.debug(text, cause);
  }

  @Override
  public boolean isFatalEnabled() {
    return logger.isDebugEnabled();
  }

  @Override
  public boolean isErrorEnabled() {
    return logger.isDebugEnabled();
  }

  @Override
  public boolean isWarnEnabled() {
    return logger.isDebugEnabled();
  }

  @Override
  public boolean isInfoEnabled() {
    return logger.isDebugEnabled();
  }

  @Override
  public boolean isDebugEnabled() {
    return logger.isTraceEnabled();
  }

  @Override
  public boolean isTraceEnabled() {
    return false;
  }

  @Override
  public void fatal(String text) {
    line(text);
  }

  @Override
  public void fatal(String format, Object... values) {
    line(format, values);
  }

  @Override
  public void fatal(String text, Throwable cause) {
    line(text, cause);
  }

  @Override
  public void error(String text) {
    line(text);
  }

  @Override
  public void error(String format, Object... values) {
    line(format, values);
  }

  @Override
  public void error(String text, Throwable cause) {
    line(text, cause);
  }

  @Override
  public void warn(String text) {
    line(text);
  }

  @Override
  public void warn(String format, Object... values) {
    line(format, values);
  }

  @Override
  public void warn(String text, Throwable cause) {
    line(text, cause);
  }

  @Override
  public void info(String text) {
    line(text);
  }

  @Override
  public void info(String format, Object... values) {
    line(format, values);
  }

  @Override
  public void debug(String text) {
    logger.trace("{}", text);
  }

  @Override
  public void debug(String format, Object... values) {
    if (logger.isTraceEnabled()) {
      logger.trace("{}", String.format(format, values));
    }
  }

  @Override
  public void debug(String text, Throwable cause) {
    logger.trace(text, cause);
  }

  @Override
  public void trace(Object text) {}

  @Override
  public void trace(String text) {}

  @Override
  public void trace(String format, Object... values) {}

  @Override
  public void trace(String text, Throwable cause) {}

  /** The level is that of the program's log. */
  @Override
  public void setLevel(String level) {}

  @Override
  public String getLevel() {
    return "debug";
  }
}
