package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** How much the application log says. */
class AppLogTest {
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Level before = root.getLevel();

  @AfterEach
  void restore() {
    root.setLevel(before);
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
  void debugOptionsSayWhat(String options, String level) {
    AppLog.level(options);
    assertThat(root.getLevel()).isEqualTo(Level.toLevel(level));
  }
}
