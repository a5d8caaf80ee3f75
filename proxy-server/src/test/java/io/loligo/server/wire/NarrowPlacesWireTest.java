package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The proxy as containers and careful operators start it. Each place is one of a process of its
 * own; a test is skipped where the system does not allow to make it.
 */
@EnabledOnOs(OS.LINUX)
final class NarrowPlacesWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final int CLIENTS = 64;
  private static final long MIB = 1L << 20;
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

  private int port;

  @BeforeEach
  void choosePort() {
    port = ProxyProcess.freePort();
  }

  private String conf(String... lines) {
    return "http_port 127.0.0.1:"
        + port
        + "\nhttp_access allow all\naccess_log stdio:/dev/stdout\ncache_log none\n"
        + "loligo_admin_port off\nvisible_hostname proxy.test\n"
        + String.join("\n", lines)
        + "\n";
  }

  private String file(String text) throws IOException {
    return Files.writeString(dir.resolve("loligo.conf"), text).toString();
  }

  private List<String> run(List<String> options, String... lines) throws IOException {
    return ProxyProcess.plain(options, "run", "-f", file(conf(lines)));
  }

  private ProxyProcess start(List<String> command) throws IOException {
    return closing(ProxyProcess.start(dir, command.toArray(String[]::new)));
  }

  /** {@code command} after {@code script}, in namespaces of its own by {@code option}. */
  private List<String> inside(String option, String script, List<String> command) throws Exception {
    List<String> shell = new ArrayList<>(List.of(InstalledProgram.path("unshare"), option));
    if (!"root".equals(System.getProperty("user.name"))) {
      shell.add("--map-root-user");
    }
    shell.addAll(List.of("/bin/sh", "-ec", script + "\nexec \"$@\"", "sh"));
    List<String> trial = new ArrayList<>(shell);
    trial.add("true");
    allowed(trial);
    shell.addAll(command);
    return shell;
  }

  /** Runs {@code command}; if it fails, the test is skipped. */
  private void allowed(List<String> command) throws Exception {
    ProxyProcess trial = start(command);
    assumeTrue(
        trial.awaitExit() == 0, "the system does not allow this place: " + trial.output().strip());
  }

  private void assertServes() throws Exception {
    origin.onOk("/page", "content", "Cache-Control: max-age=1000");
    RawClient client = closing(RawClient.connect(port));
    assertThat(client.get(origin.url("/page")).response().text()).isEqualTo("content");
    assertHit(client.get(origin.url("/page")).response());
  }

  private static String assertStops(ProxyProcess process) throws Exception {
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output()).doesNotContain(" ERROR ", "\tat ", "OutOfMemory");
    return process.output();
  }

  private static String commandOf(ProxyProcess process) throws IOException {
    return Files.readString(Path.of("/proc", Long.toString(process.process().pid()), "cmdline"))
        .replace('\0', ' ');
  }

  private static long kilobytes(ProxyProcess process, String line) throws IOException {
    String status =
        Files.readString(Path.of("/proc", Long.toString(process.process().pid()), "status"));
    Matcher found = Pattern.compile(line + ":\\s+([0-9]+) kB").matcher(status);
    assertThat(found.find()).as(status).isTrue();
    return Long.parseLong(found.group(1));
  }

  /** Shell commands after which the process sees a limit of 256 MB of {@code version}. */
  private String limited(int version) throws IOException {
    Path limit = Files.writeString(dir.resolve("limit"), 256 * MIB + "\n");
    if (version == 2) {
      Path group = Files.writeString(dir.resolve("cgroup"), "0::/\n");
      Path mounts =
          Files.writeString(
              dir.resolve("mounts"),
              "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
      Path controllers =
          Files.writeString(
              dir.resolve("controllers"),
              "#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
                  + "cpuset\t0\t1\t1\ncpu\t0\t1\t1\ncpuacct\t0\t1\t1\nmemory\t0\t1\t1\n");
      return """
      mount -t tmpfs limits /sys/fs/cgroup
      cp %s /sys/fs/cgroup/memory.max
      mount --bind %s /proc/$$/cgroup
      mount --bind %s /proc/cgroups
      mount --bind %s /proc/$$/mountinfo
      """
          .formatted(limit, group, controllers, mounts);
    }
    Matcher own =
        Pattern.compile("(?m)^[0-9]+:([a-z,]*,)?memory(,[a-z,]*)?:/(.*)$")
            .matcher(Files.readString(Path.of("/proc/self/cgroup")));
    String file = own.find() ? "memory/" + own.group(3) + "/memory.limit_in_bytes" : "memory";
    return "mount --bind %s %s".formatted(limit, CGROUPS.resolve(file));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aContainerOf256MegabytesServes64ConnectionsAndStaysWithinThem(int version) throws Exception {
    ProxyProcess process =
        start(inside("--mount", limited(version), run(List.of()))).awaitPort(port);
    process.awaitOutput("machine or container has 256 MB");
    assertThat(commandOf(process)).contains(" -Xmx65536k -XX:MaxDirectMemorySize=94208k ");
    assertThat(process.output()).contains("memory: cache_mem 36 MB (lowered from its default, 64");
    String content = "0123456789abcdef".repeat(8 << 10);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(closing(RawClient.connect(port)));
    }
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < CLIENTS; i++) {
        String path = "/" + round + "-" + i;
        origin.onOk(path, content, "Cache-Control: max-age=1000");
        clients.get(i).get(origin.url(path));
      }
      for (RawClient client : clients) {
        assertThat(client.response().body()).hasSize(content.length());
      }
    }
    assertThat(kilobytes(process, "VmHWM")).as("most resident KB").isLessThan(256 << 10);
    assertStops(process);
  }

  /** Squid makes a table by this limit, and its helpers close all descriptors up to it. */
  @Test
  void aHugeLimitOfDescriptorsCostsNothing() throws Exception {
    Path helper = Files.writeString(dir.resolve("helper"), "while read -r url; do echo OK; done\n");
    String[] lines = {
      "external_acl_type asked children-max=2 %URI /bin/sh " + helper,
      "acl asked external asked",
      "http_access deny !asked"
    };
    // the first line of http_access decides
    List<String> usual =
        ProxyProcess.plain(
            List.of("-Xmx64m", "-XX:MaxDirectMemorySize=100m"),
            "run",
            "-f",
            file(
                conf(lines)
                    .replace("http_access allow all\n", "")
                    .concat("http_access allow all\n")));
    long few = residentWith(4096, usual);
    long many = residentWith(hugeLimit(), usual);
    assertThat(many).as("resident KB, with a low limit %s", few).isLessThan(few + (24 << 10));
  }

  private long hugeLimit() throws Exception {
    // readString would read one byte, and the system gives no more for a second call
    long most = Long.parseLong(Files.readAllLines(Path.of("/proc/sys/fs/nr_open")).get(0));
    long huge = Math.min(1_073_741_816L, most);
    allowed(limited(huge, List.of("true")));
    return huge;
  }

  private static List<String> limited(long descriptors, List<String> command) {
    List<String> whole = new ArrayList<>();
    whole.add(InstalledProgram.path("prlimit"));
    whole.add("--nofile=" + descriptors + ":" + descriptors);
    whole.addAll(command);
    return whole;
  }

  private long residentWith(long descriptors, List<String> command) throws Exception {
    ProxyProcess process = start(limited(descriptors, command)).awaitPort(port);
    assertServes();
    process.awaitOutput("Daemon: ready");
    long kilobytes = kilobytes(process, "VmHWM");
    assertStops(process);
    return kilobytes;
  }

  @ParameterizedTest
  @CsvSource({
    "-Dloligo.some=thing, true",
    "-Xlog:gc:file=gc.log, true",
    "-Xmx100m, false",
    "-XX:+UseSerialGC -XX:MaxRAMPercentage=10, false"
  })
  void optionsInAVariableHold(String options, boolean chosenByUs) throws Exception {
    List<String> command = new ArrayList<>(List.of("env", "JAVA_TOOL_OPTIONS=" + options));
    command.addAll(run(List.of()));
    ProxyProcess process = start(command).awaitPort(port);
    assertServes();
    if (chosenByUs) {
      assertThat(commandOf(process)).contains(" -XX:MaxDirectMemorySize=");
    } else {
      assertThat(commandOf(process)).doesNotContain("-Xmn", "-XX:MaxDirectMemorySize=");
    }
    assertStops(process);
  }

  /** The jar of {@link IntrusiveAgent}. */
  private Path agent() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", IntrusiveAgent.class.getName());
    manifest.getMainAttributes().putValue("Can-Retransform-Classes", "true");
    Path jar = dir.resolve("agent.jar");
    String name = IntrusiveAgent.class.getName().replace('.', '/') + ".class";
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        InputStream code = IntrusiveAgent.class.getClassLoader().getResourceAsStream(name)) {
      entries.putNextEntry(new JarEntry(name));
      code.transferTo(entries);
    }
    return jar;
  }

  @Test
  void anAgentOfAMonitoringSystemDoesNoHarm() throws Exception {
    List<String> command =
        new ArrayList<>(List.of("env", "JAVA_TOOL_OPTIONS=-javaagent:" + agent()));
    command.addAll(run(List.of()));
    ProxyProcess process = start(command).awaitPort(port);
    assertServes();
    assertThat(assertStops(process)).containsPattern("agent: [1-9][0-9]* classes of io.loligo");
  }

  @Test
  void withoutProgramsInTheTemporaryFolderTheJdkDrivesSockets() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("noexec"));
    Path certificate = ROOT.issue(TestAuthority.server("www.example.com")).write(dir, "www.pem");
    int securePort = ProxyProcess.freePort();
    List<String> command =
        inside(
            "--mount",
            "mount -t tmpfs -o noexec temporary " + folder + "\nexport TMPDIR=" + folder,
            run(
                List.of("-Djava.io.tmpdir=" + folder),
                "https_port 127.0.0.1:" + securePort + " tls-cert=" + certificate));
    ProxyProcess process = start(command).awaitPort(port);
    assertServes();
    RawClient secure =
        closing(TlsClient.trusting(ROOT).name("www.example.com").connect(securePort));
    assertHit(secure.get(origin.url("/page")).response());
    assertThat(assertStops(process))
        .contains("epoll cannot be used (", "-Dio.netty.native.workdir")
        .contains("TLS: Java ", "BoringSSL cannot be loaded");
  }

  /** All is read-only, the temporary folder too. */
  @Test
  void nothingIsWrittenOutsideOfConfiguredPlaces() throws Exception {
    List<String> command =
        inside("--mount", "mount -o remount,bind,ro /\n! touch " + dir + "/x", run(List.of()));
    ProxyProcess process = start(command).awaitPort(port);
    assertServes();
    String output = assertStops(process);
    assertThat(output).contains("TCP_MEM_HIT/200");
    try (var files = Files.list(dir)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .allMatch(name -> name.equals("loligo.conf") || name.startsWith("output"));
    }
  }

  @Test
  void anUnknownUserWithoutAHomeRunsIt() throws Exception {
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> command =
        new ArrayList<>(
            List.of(
                InstalledProgram.path("setpriv"),
                "--reuid=12345",
                "--regid=12345",
                "--clear-groups",
                // the classes of the build may be in a home
                "--inh-caps=+dac_read_search",
                "--ambient-caps=+dac_read_search",
                "env",
                "-u",
                "HOME"));
    List<String> trial = new ArrayList<>(command);
    trial.add("true");
    allowed(trial);
    command.addAll(run(List.of()));
    ProxyProcess process = start(command).awaitPort(port);
    assertServes();
    assertThat(assertStops(process)).contains("TCP_MEM_HIT/200").doesNotContain("running as root");
    try (var files = Files.list(dir)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .allMatch(name -> name.equals("loligo.conf") || name.startsWith("output"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6, -Done.two",
    "127.0.0.1, true, -Djava.net.preferIPv4Stack=true",
    "::1, ip address delete 127.0.0.1/8 dev lo, -Done.two"
  })
  void oneFamilyOfAddressesSuffices(String address, String script, String option) throws Exception {
    InstalledProgram.path("ip");
    String host = address.contains(":") ? "[" + address + "]" : address;
    String text =
        "http_port 3128\nhttp_access allow all\naccess_log none\ncache_log none\n"
            + "visible_hostname proxy.test\nhosts_file "
            + Files.writeString(dir.resolve("hosts"), address + " origin.test\n")
            + "\n";
    List<String> command =
        inside(
            "--net",
            "ip link set lo up\n" + script,
            ProxyProcess.plain(
                List.of("-Xmx128m", "-XX:MaxDirectMemorySize=200m", option),
                "run",
                "-f",
                file(text)));
    ProxyProcess process = start(command).awaitOutput("Daemon: ready");
    String pid = Long.toString(process.process().pid());
    Files.writeString(Files.createDirectory(dir.resolve("www")).resolve("page"), "from there");
    ProxyProcess server =
        start(
            within(
                pid,
                InstalledProgram.path("python3"),
                "-um",
                "http.server",
                "8000",
                "--bind",
                address,
                "--directory",
                dir.resolve("www").toString()));
    server.awaitOutput("Serving HTTP");
    for (String name : List.of("origin.test", host)) {
      ProxyProcess client =
          start(
              within(
                  pid,
                  InstalledProgram.path("curl"),
                  "-sS",
                  "--noproxy",
                  "",
                  "-x",
                  "http://" + host + ":3128",
                  "http://" + name + ":8000/page"));
      assertThat(client.awaitExit()).as(client.output()).isZero();
      assertThat(client.output()).isEqualTo("from there");
    }
    process.awaitOutput(
        "administration on " + (address.contains(":") ? "\\[.*\\]" : "127.0.0.1") + ":3129");
    List<String> stats =
        ProxyProcess.plain(List.of(option), "stats", "-f", dir.resolve("loligo.conf").toString());
    ProxyProcess asking = start(within(pid, stats.toArray(String[]::new)));
    assertThat(asking.awaitExit()).as(asking.output()).isZero();
    assertStops(process);
  }

  /** {@code command} in the network of the process {@code pid}. */
  private static List<String> within(String pid, String... command) {
    List<String> whole = new ArrayList<>();
    whole.add(InstalledProgram.path("nsenter"));
    whole.add("--net=/proc/" + pid + "/ns/net");
    whole.addAll(List.of(command));
    return whole;
  }
}
