package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

final class AvailableMemoryTest {
  private static final long MIB = 1L << 20;

  @TempDir Path root;

  private void file(String name, String content) throws Exception {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private long megabytes() throws Exception {
    file("proc/meminfo", "MemTotal:       2097152 kB\nMemFree:         123 kB\n");
    return AvailableMemory.bytes(root) / MIB;
  }

  @Test
  void isThatOfTheMachineWithoutAGroup() throws Exception {
    assertThat(megabytes()).isEqualTo(2048);
  }

  @Test
  void isUnknownWithoutLinux() {
    assertThat(AvailableMemory.bytes(root)).isEqualTo(AvailableMemory.UNKNOWN);
  }

  @Test
  void readsTheLimitOfAContainerOfVersion2() throws Exception {
    file("proc/self/cgroup", "0::/\n");
    file("sys/fs/cgroup/memory.max", "268435456\n");
    assertThat(megabytes()).isEqualTo(256);
  }

  @Test
  void readsTheLimitOfAContainerOfVersion1() throws Exception {
    file("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n0::/x\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
    assertThat(megabytes()).as("the path is the host's").isEqualTo(256);
  }

  @Test
  void takesTheLeastOfTheGroupsAroundIt() throws Exception {
    file("proc/self/cgroup", "0::/system.slice/loligo.service\n");
    file("sys/fs/cgroup/system.slice/loligo.service/memory.max", "max\n");
    file("sys/fs/cgroup/system.slice/memory.max", "536870912\n");
    assertThat(megabytes()).isEqualTo(512);
    file("sys/fs/cgroup/system.slice/loligo.service/memory.high", "134217728\n");
    assertThat(megabytes()).as("beyond memory.high it is slowed down").isEqualTo(128);
  }

  @Test
  void noLimitIsNone() throws Exception {
    file("proc/self/cgroup", "4:memory:/a\n");
    file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    assertThat(megabytes()).isEqualTo(2048);
  }

  @Test
  void leavesTheHierarchyAlone() throws Exception {
    file("proc/self/cgroup", "0::/../../../proc\n");
    file("proc/memory.max", "1\n");
    file("memory.max", "1\n");
    assertThat(megabytes()).as("a group outside of the namespace").isEqualTo(2048);
  }

  @Test
  void aGroupOutsideOfTheNamespaceHasTheLimitOfTheContainer() throws Exception {
    file("proc/self/cgroup", "0::/../x\n");
    file("sys/fs/cgroup/memory.max", "268435456\n");
    assertThat(megabytes()).isEqualTo(256);
  }

  @Test
  void aLimitInWhichNoProcessRunsIsNone() throws Exception {
    file("proc/self/cgroup", "0::/a\n");
    file("sys/fs/cgroup/a/memory.max", "268435456\n");
    file("sys/fs/cgroup/a/memory.high", "0\n");
    assertThat(megabytes()).isEqualTo(256);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void isKnownHere() {
    assertThat(AvailableMemory.bytes()).isBetween(64 * MIB, AvailableMemory.UNKNOWN - 1);
  }
}
