package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GivenSizesTest {
  private static final String NAME = "MaxDirectMemorySize";

  private static long of(Map<String, String> environment, String command) {
    return GivenSizes.bytes(NAME, new JavaCommand(List.of(command.split(" ", -1))), environment);
  }

  private static long of(String command) {
    return of(Map.of(), command);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "300K, 307200",
    "64m, 67108864",
    "64M, 67108864",
    "3g, 3221225472",
    "1T, 1099511627776",
    "2981888k, 3053453312"
  })
  void readsAllUnitsOfAJvm(String text, long bytes) {
    assertThat(of("/usr/bin/java -Xmx1g -XX:" + NAME + "=" + text + " -jar loligo.jar"))
        .isEqualTo(bytes);
  }

  /** Also the words of the application are no options of the JVM. */
  @Test
  void anOptionThatIsNotThereHasItsDefault() {
    for (String command :
        List.of(
            "java -jar loligo.jar run",
            "java -Xmx1g -cp -XX:" + NAME + "=5m io.loligo.Main",
            "java -jar loligo.jar -XX:" + NAME + "=5m",
            "java -XX:" + NAME + "Other=5m -jar loligo.jar",
            "java --add-opens java.base/java.lang=ALL-UNNAMED Main -XX:" + NAME + "=5m")) {
      assertThat(of(command)).as(command).isEqualTo(GivenSizes.DEFAULT);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-cp a",
        "-p a",
        "--module-path a",
        "--upgrade-module-path a",
        "--add-modules a",
        "--add-exports a/b=c",
        "--add-opens a/b=c",
        "--add-reads a=b",
        "--limit-modules a",
        "--patch-module a=b",
        "--enable-native-access a",
        "-classpath a",
        "--class-path a"
      })
  void aValueIsNoMainClass(String option) {
    assertThat(of("java " + option + " -XX:" + NAME + "=5m Main")).isEqualTo(5 << 20);
  }

  @Test
  void theLastOneHolds() {
    String option = " -XX:" + NAME + "=";
    assertThat(of("java" + option + "5m" + option + "6 -jar x.jar")).isEqualTo(6);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "loligo -jar x.jar",
        "java @options -jar x.jar",
        "java -Xmx1g @options -jar x.jar",
        "java -XX:Flags=file -jar x.jar",
        "java -XX:VMOptionsFile=file -jar x.jar",
        "java -XX:MaxDirectMemorySize= -jar x.jar",
        "java -XX:MaxDirectMemorySize=m -jar x.jar",
        "java -XX:MaxDirectMemorySize=0 -jar x.jar",
        "java -XX:MaxDirectMemorySize=0x10 -jar x.jar",
        "java -XX:MaxDirectMemorySize=-1 -jar x.jar",
        "java -XX:MaxDirectMemorySize=999999999999999t -jar x.jar",
        "java -XX:MaxDirectMemorySize=9999999999999999 -jar x.jar"
      })
  void onlyTheJvmKnowsTheRest(String command) {
    assertThat(of(command)).isEqualTo(GivenSizes.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
  void aVariableMayHaveIt(String variable) {
    String command = "java -XX:" + NAME + "=5m -jar x.jar";
    assertThat(of(Map.of(variable, "-Dany=thing"), command)).isEqualTo(GivenSizes.UNKNOWN);
    assertThat(of(Map.of(variable, " "), command)).isEqualTo(5 << 20);
  }
}
