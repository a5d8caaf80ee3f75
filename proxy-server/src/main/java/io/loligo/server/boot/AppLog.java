package io.loligo.server.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.loligo.server.accesslog.StandardStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application log: the console, and the file that {@code cache_log} names. Logback finds it as
 * a service: reading the same from XML would take a fifth of the process's start.
 */
public final class AppLog extends ContextAwareBase implements Configurator {
  /** System property: {@code System.err} for commands, whose standard output is their answer. */
  public static final String CONSOLE = "loligo.log.console";

  /** System property of Logback's: the operator's own configuration of the log. */
  static final String CONFIGURATION_FILE = "logback.configurationFile";

  private static final String FILE = "cache_log";
  private static final String ALL = "ALL,";

  /** An attacker's URL must not control the terminal that shows it. */
  private static final String CONTROLS = "[\\p{Cntrl}\\x80-\\x9f&&[^\\r\\n\\t]]";

  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0}: %replace(%msg%n%xEx){'"
          + CONTROLS
          + "', '?'}%nopex";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (System.getProperty(CONFIGURATION_FILE) != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setTarget(System.getProperty(CONSOLE, "System.out"));
    add(context, "console", console);
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
    context.getLogger("io.netty").setLevel(Level.WARN);
    // a network namespace may have no hardware address, which only serves the numbers of channels
    context.getLogger("io.netty.util.internal.MacAddressUtil").setLevel(Level.ERROR);
    context.getLogger("net.openhft").setLevel(Level.WARN);
    // advises against a recovery each time; this is the only process, by the directory's LOCK
    context.getLogger("net.openhft.chronicle.map.ChronicleMapBuilder").setLevel(Level.ERROR);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * Sets the level that {@code options}, the value of {@code debug_options}, gives for ALL: 0
   * warnings, 1 events, more everything.
   */
  static void level(String options) {
    if (System.getProperty(CONFIGURATION_FILE) == null
        && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(levelOf(options));
    }
  }

  static Level levelOf(String options) {
    int level = 1;
    for (String word : options.split(" ", -1)) {
      if (word.startsWith(ALL)) {
        level = Integer.parseInt(word, ALL.length(), word.length(), 10);
      }
    }
    return level < 1 ? Level.WARN : level == 1 ? Level.INFO : Level.DEBUG;
  }

  /**
   * Writes to {@code path} too, reopened, instead of the previous file; null or {@code none}: to no
   * file.
   */
  static void toFile(@Nullable String path) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
      Appender<ILoggingEvent> before = root.getAppender(FILE);
      if (before != null) {
        root.detachAppender(before);
        before.stop();
      }
    }
    if (path == null
        || path.equals("none")
        // the console has it
        || StandardStream.of(Path.of(path)) != null
        || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setFile(path);
    add(context, FILE, file);
  }

  private static void add(
      LoggerContext context, String name, OutputStreamAppender<ILoggingEvent> appender) {
    LatePattern encoder = new LatePattern(PATTERN);
    encoder.setContext(context);
    encoder.start();
    appender.setContext(context);
    appender.setName(name);
    appender.setEncoder(encoder);
    appender.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
  }
}
