package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JavaCommandTest {
  private static JavaCommand of(String words) {
    return new JavaCommand(List.of(words.split(" ", -1)));
  }

  @Test
  void readsTheWordsThatTheKernelKeeps() {
    byte[] kept = "java\0-jar\0a b.jar\0run\0\0ü\0".getBytes(StandardCharsets.UTF_8);
    assertThat(JavaCommand.parse(kept).words())
        .containsExactly("java", "-jar", "a b.jar", "run", "", "ü");
  }

  @Test
  void runsTheSameProgramWithOtherArguments() {
    List<String> other = List.of("run", "-f", "b.conf");
    assertThat(
            of("java -Xmx1g -cp a.jar:b.jar -Da=-jar io.loligo.Main -N -f a.conf").running(other))
        .isEqualTo(of("java -Xmx1g -cp a.jar:b.jar -Da=-jar io.loligo.Main run -f b.conf"));
    assertThat(of("java --add-opens a=b -jar loligo.jar run -f a.conf").running(other))
        .isEqualTo(of("java --add-opens a=b -jar loligo.jar run -f b.conf"));
    assertThatThrownBy(() -> of("java -jar").running(other)).hasMessageContaining("no main class");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java -jar loligo.jar run -f a.conf",
        "java -jar loligo.jar run -Xmx1g",
        "java -Da=-Xmx1g -jar loligo.jar run",
        "java -cp a.jar:b.jar io.loligo.Main run",
        "java -ea -cp -Xa io.loligo.Main run -X",
        "java --add-opens java.base/java.lang=ALL-UNNAMED -jar loligo.jar run",
        "java --add-opens=java.base/java.lang=ALL-UNNAMED -jar loligo.jar run",
        "java -jar @loligo.jar run",
        "java -Da=b -Xlog:gc -cp a.jar io.loligo.Main run",
        "java -Xlog:gc*:file=gc.log -XX:NativeMemoryTracking=summary -jar loligo.jar run",
        "java -XX:TieredStopAtLevel=1 -XX:-TieredCompilation -jar loligo.jar run",
        "java -XX:StartFlightRecording:filename=a.jfr -Xshare:auto -jar loligo.jar run",
        "java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -jar loligo.jar run",
        "java -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 -jar loligo.jar run",
        "java -XX:+ExitOnOutOfMemoryError -XX:HeapDumpPath=/a -jar loligo.jar run",
      })
  void leavesTheFlagsToTheJvm(String words) {
    assertThat(of(words).isPlain(Map.of())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java -Xmx1g -jar loligo.jar run",
        "java -XX:+UseG1GC -jar loligo.jar run",
        "java -Xlog:gc -Xmn1m -jar loligo.jar run",
        "java -XX:+UnlockDiagnosticVMOptions -XX:-UseCompressedOops -jar loligo.jar run",
        "java -XX:MaxDirectMemorySize=1g -jar loligo.jar run",
        "java -XX:SharedArchiveFile=a.jsa -jar loligo.jar run",
        "java -Dcom.sun.management.jmxremote.port=9999 -jar loligo.jar run",
        "java -cp a.jar -Xint io.loligo.Main run",
        "java -javaagent:apm.jar -jar loligo.jar run",
        "java -agentlib:jdwp=transport=dt_socket -jar loligo.jar run",
        "java @loligo.args",
        "java -Da=b",
        "java -cp",
        "java",
      })
  void hasFlags(String words) {
    assertThat(of(words).isPlain(Map.of())).isFalse();
  }

  @Test
  void hasFlagsInAVariable() {
    JavaCommand plain = of("java -jar loligo.jar run");
    assertThat(plain.isPlain(Map.of("JAVA_TOOL_OPTIONS", " "))).isTrue();
    for (String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
      assertThat(plain.isPlain(Map.of(variable, "-Da=b -Xlog:gc"))).isTrue();
      assertThat(plain.isPlain(Map.of(variable, "-Da=b -javaagent:apm.jar"))).isFalse();
      assertThat(plain.isPlain(Map.of(variable, "-Da='b c'"))).isFalse();
    }
  }

  @Test
  void findsAnOptionOfTheOperator() {
    JavaCommand command = of("java -Da=b -Xshare:off -jar loligo.jar -Xlog");
    assertThat(command.hasOption("-Xshare:", Map.of())).isTrue();
    assertThat(command.hasOption("-Xlog", Map.of())).isFalse();
    assertThat(command.hasOption("-Xlog", Map.of("JDK_JAVA_OPTIONS", "-ea -Xlog:gc"))).isTrue();
  }

  @Test
  void getsFlagsBeforeItsOwnOptionsAndIsNotPlainThen() {
    JavaCommand again = of("java -Da=b -jar loligo.jar run").with(flags(17, 2, 1L << 30, 0));
    assertThat(again.words())
        .containsExactly(
            "java",
            "-XX:+UseParallelGC",
            "-Xms524288k",
            "-Xmn16384k",
            "-XX:MaxTenuringThreshold=1",
            "-Xmx1048576k",
            "-XX:MaxDirectMemorySize=1048576k",
            "-Da=b",
            "-jar",
            "loligo.jar",
            "run");
    assertThat(again.isPlain(Map.of())).isFalse();
  }

  @Test
  void sizesTheYoungGenerationByProcessorsAndHeap() {
    assertThat(flags(17, 1, 1L << 30, Long.MAX_VALUE)).contains("-XX:+UseSerialGC", "-Xmn16384k");
    assertThat(flags(17, 64, 64L << 30, 2L << 30)).contains("-XX:+UseParallelGC", "-Xmn524288k");
    assertThat(flags(17, 2, 1L << 30, (8L << 30) + 1)).contains("-XX:+UseG1GC", "-Xmn6144k");
    assertThat(flags(17, 64, 64L << 30, (8L << 30) + 1)).contains("-Xmn196608k");
    assertThat(flags(17, 2, 32L << 20, 0)).contains("-Xmn8192k");
  }

  @Test
  void keepsOldMemoryForTheParallelCollector() {
    assertThat(flags(17, 2, 6L << 30, 0)).contains("-Xms540672k", "-Xmn16384k");
    assertThat(flags(17, 2, 32L << 20, 0)).contains("-Xms16384k", "-Xmn8192k");
    assertThat(flags(17, 64, 64L << 30, 0)).contains("-Xms1048576k", "-Xmn524288k");
  }

  @Test
  void letsOnlyG1PromoteAtOnce() {
    assertThat(flags(17, 2, 1L << 30, (8L << 30) + 1))
        .contains(
            "-XX:MaxTenuringThreshold=0",
            "-XX:G1HeapRegionSize=1m",
            "-XX:MaxGCPauseMillis=4",
            "-XX:GCTimeRatio=2");
    assertThat(flags(17, 2, 1L << 30, 0)).contains("-XX:MaxTenuringThreshold=1");
    assertThat(flags(17, 1, 1L << 30, Long.MAX_VALUE)).contains("-XX:MaxTenuringThreshold=1");
  }

  @Test
  void leavesTheRegionsOfALargeHeapToG1() {
    assertThat(flags(17, 2, 16L << 30, Long.MAX_VALUE)).contains("-XX:G1HeapRegionSize=1m");
    assertThat(flags(17, 2, (16L << 30) + 1, Long.MAX_VALUE))
        .doesNotContain("-XX:G1HeapRegionSize=1m");
  }

  @Test
  void makesHeadersCompactWhereTheJvmCan() {
    assertThat(flags(24, 2, 1L << 30, 0)).doesNotContain("-XX:+UseCompactObjectHeaders");
    assertThat(flags(24, 2, 1L << 30, 0)).doesNotContain("-XX:GCCardSizeInBytes=128");
    assertThat(flags(25, 2, 1L << 30, 0))
        .contains("-XX:+UseCompactObjectHeaders", "-XX:GCCardSizeInBytes=128");
  }

  private static List<String> flags(int version, int processors, long heap, long cache) {
    return JvmFlags.of(
        version, processors, new MemoryShares(heap, Math.max(heap, cache), cache, 0));
  }
}
