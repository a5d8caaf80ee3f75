package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DescriptorsTest {
  private static final long NONE = Long.MAX_VALUE;

  @ParameterizedTest
  @CsvSource({"0, 1024, 1024", "500, 1024, 500", "5000, 1024, 1024", "0, 1073741816, 1073741816"})
  void aDirectiveOnlyLowersTheLimit(int wanted, long system, long limit) {
    assertThat(Descriptors.limit(wanted, system)).isEqualTo(limit);
  }

  @Test
  void infinityIsNoLimit() {
    assertThat(Descriptors.limit(0, -1)).isEqualTo(NONE);
    assertThat(Descriptors.limit(4096, -1)).isEqualTo(4096);
  }

  /** Form of the kernel: proc(5). */
  @ParameterizedTest
  @CsvSource({
    "Max open files            1024                 524288               files, 1024",
    "Max open files            1073741816           1073741816           files, 1073741816",
    "Max open files            unlimited            unlimited            files,"
        + " 9223372036854775807",
    "Max open files            many                 unlimited            files, 0",
    "Max file size             unlimited            unlimited            bytes, 0"
  })
  void theKernelTellsTheSoftLimit(String line, long limit, @TempDir Path dir) throws Exception {
    Path file = dir.resolve("limits");
    Files.writeString(
        file, "Limit  Soft Limit  Hard Limit  Units\nMax cpu time  9  9  s\n" + line + "\n");
    assertThat(Descriptors.inLimits(file)).isEqualTo(limit);
    assertThat(Descriptors.inLimits(dir.resolve("none"))).isZero();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theLimitIsThatOfTheJvm() {
    UnixOperatingSystemMXBean jvm =
        (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    assertThat(Descriptors.inLimits(Path.of("/proc/self/limits")))
        .isEqualTo(Descriptors.limit(0, jvm.getMaxFileDescriptorCount()));
  }
}
