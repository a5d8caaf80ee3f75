package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.ConsoleAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** The content of the application log. */
class AppLogTest {
  @TempDir private Path directory;

  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Level before = root.getLevel();

  @AfterEach
  void restore() {
    root.setLevel(before);
  }

  @Test
  void noMessageDrivesATerminal() throws IOException {
    Path file = directory.resolve("cache.log");
    AppLog.toFile(file.toString());
    try {
      root.warn("{}: cut", "http://a/\u009b2J\u001b[2J\u007f", new IOException("\u009b1m"));
    } finally {
      AppLog.toFile(null);
    }
    assertThat(Files.readAllLines(file))
        .hasSizeGreaterThan(2)
        .satisfies(lines -> assertThat(lines.get(0)).endsWith(": http://a/?2J?[2J?: cut"))
        .satisfies(lines -> assertThat(lines.get(1)).isEqualTo("java.io.IOException: ?1m"))
        .satisfies(lines -> assertThat(lines.get(2)).startsWith("\tat "));
  }

  /** Their standard output is their answer. */
  @Test
  void commandsLogToTheStandardError() {
    System.setProperty(AppLog.CONSOLE, "System.err");
    LoggerContext context = new LoggerContext();
    try {
      new AppLog().configure(context);
      assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("console"))
          .isInstanceOfSatisfying(
              ConsoleAppender.class,
              console -> assertThat(console.getTarget()).isEqualTo("System.err"));
    } finally {
      System.clearProperty(AppLog.CONSOLE);
      context.stop();
    }
  }

  @Test
  void theProviderConfiguresTheLogWithoutASearch() {
    AppLogProvider provider = new AppLogProvider();
    provider.initialize();
    LoggerContext context = (LoggerContext) provider.getLoggerFactory();
    try {
      Logger all = context.getLogger(Logger.ROOT_LOGGER_NAME);
      assertThat(all.getLevel()).isEqualTo(Level.INFO);
      assertThat(all.getAppender("console").isStarted()).isTrue();
      assertThat(context.getLogger("io.netty").getLevel()).isEqualTo(Level.WARN);
      assertThat(context.isStarted()).isTrue();
      assertThat(context.getMDCAdapter()).isSameAs(provider.getMDCAdapter());
    } finally {
      context.stop();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "slf4j.provider, another.Provider, another.Provider",
    "logback.configurationFile, my.xml,",
    "another.property, x, io.loligo.server.boot.AppLogProvider",
  })
  void operatorsChooseTheProviderOrConfigureLogback(String property, String value, String chosen) {
    System.setProperty(property, value);
    try {
      AppLogProvider.choose();
      assertThat(System.getProperty("slf4j.provider")).isEqualTo(chosen);
    } finally {
      for (String each : new String[] {property, "slf4j.provider", "slf4j.internal.verbosity"}) {
        System.clearProperty(each);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'ALL,1', INFO",
    "'ALL,0', WARN",
    "'ALL,-1', WARN",
    "'ALL,2', DEBUG",
    "'rotate=1 ALL,9 33,2', DEBUG",
    "'ALL,2 ALL,0', WARN",
    "'33,2', INFO",
  })
  void debugOptionsSetTheLevel(String options, String level) {
    AppLog.level(options);
    assertThat(root.getLevel()).isEqualTo(Level.toLevel(level));
  }
}
