package io.loligo.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The profiles jdk17, jdk21 and jdk25 run the tests on the JDK that they name. */
class TestedJdkTest {
  @Test
  void isTheOneOfTheProfile() {
    String wanted = System.getProperty("loligo.test.jdk", "");

    assertThat(wanted).isIn("", String.valueOf(Runtime.version().feature()));
  }
}
