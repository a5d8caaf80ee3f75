package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program under test in a process of its own, its output in a file. Closing ends it. */
final class ProxyProcess implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 5_000;

  /** The time between two signals; a proxy takes those within a moment of the first as the same. */
  private static final int AGAIN_MILLIS = 250;

  /** The ports that tests of this JVM were given, {@link #freePort}. */
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private static final int LOWEST_PORT = 10_000;
  private static final int LOWEST_EPHEMERAL_PORT = 32_768;

  /** The main class of this build. */
  static final String MAIN = "io.loligo.server.cli.Main";

  private static final List<String> USUAL_OPTIONS =
      List.of("-Xmx128m", "-XX:MaxDirectMemorySize=512m");

  private final Process process;
  private final Path output;

  private ProxyProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Runs this build's main class with these arguments, in {@code dir}. */
  static ProxyProcess loligo(Path dir, String... arguments) throws IOException {
    return loligo(dir, List.of(), arguments);
  }

  /** The same with further options of the virtual machine. */
  static ProxyProcess loligo(Path dir, List<String> options, String... arguments)
      throws IOException {
    return java(dir, options, MAIN, arguments);
  }

  /** The same, with a signal that it ignores from its start on, as under nohup. */
  static ProxyProcess ignoring(String signal, Path dir, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("/bin/sh", "-c", "trap '' " + signal + "; exec \"$@\"", "sh"));
    command.addAll(command(USUAL_OPTIONS, MAIN, arguments));
    return start(dir, command.toArray(String[]::new));
  }

  /** The same with no other options of the virtual machine than these. */
  static ProxyProcess bare(Path dir, List<String> options, String... arguments) throws IOException {
    return start(dir, command(options, MAIN, arguments).toArray(String[]::new));
  }

  /** The same with a main class of the test's around this build's. */
  static ProxyProcess java(Path dir, List<String> options, String main, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(USUAL_OPTIONS);
    all.addAll(options);
    return start(dir, command(all, main, arguments).toArray(String[]::new));
  }

  /** The command that runs {@code main} of this build. */
  static List<String> command(List<String> options, String main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(java());
    // classes of this build's compiler need no verifier, which takes a sixth of a start
    command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    command.addAll(options);
    command.addAll(ChildArchive.classes());
    command.add(main);
    command.addAll(List.of(arguments));
    return command;
  }

  /** The program and the options that each JVM needs here. */
  static List<String> java() {
    List<String> java = new ArrayList<>();
    java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // the flags in the jar's manifest
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(
            argument ->
                argument.startsWith("--add-") || argument.startsWith("--enable-native-access"))
        .forEach(java::add);
    java.addAll(compiler());
    return java;
  }

  /** The compiler that the tests have; none of the proxy's flags depends on it. */
  static List<String> compiler() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel="))
        .toList();
  }

  /**
   * The command that runs this build's main class with no options but these, the compiler's and
   * those of the jar's manifest: {@code run} chooses collector and memory then.
   */
  static List<String> plain(List<String> options, String... arguments) {
    List<String> command = new ArrayList<>(java());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN));
    command.addAll(List.of(arguments));
    return command;
  }

  /** The same; it reads what {@link #tell} writes. */
  static ProxyProcess listening(Path dir, List<String> options, String main, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(USUAL_OPTIONS);
    all.addAll(options);
    return start(
        dir, ProcessBuilder.Redirect.PIPE, command(all, main, arguments).toArray(String[]::new));
  }

  /** Writes a line to its standard input. */
  void tell(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(US_ASCII));
    process.getOutputStream().flush();
  }

  /**
   * Starts it with signals as a terminal leaves them: a child would ignore the same signals as this
   * process.
   */
  static ProxyProcess start(Path dir, String... command) throws IOException {
    return start(dir, ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()), command);
  }

  private static ProxyProcess start(Path dir, ProcessBuilder.Redirect input, String... command)
      throws IOException {
    Path output = Files.createTempFile(dir, "output", ".txt");
    List<String> whole = new ArrayList<>();
    if (isHangupIgnored()) {
      whole.addAll(List.of("env", "--default-signal=HUP"));
    }
    whole.addAll(List.of(command));
    Process process =
        new ProcessBuilder(whole)
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .redirectInput(input)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
    return new ProxyProcess(process, output);
  }

  /** Whether this process ignores SIGHUP; a system without /proc is taken at its usual word. */
  private static boolean isHangupIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    Matcher ignored =
        Pattern.compile("SigIgn:\\s*[0-9a-f]*([0-9a-f])\n").matcher(Files.readString(status));
    return ignored.find() && Integer.parseInt(ignored.group(1), 16) % 2 == 1;
  }

  /**
   * A port that is closed now, another one for each call. Another process may take it before its
   * user does, but no connection will: it is below those that systems give to connections.
   */
  static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, LOWEST_EPHEMERAL_PORT);
      if (!GIVEN.add(port)) {
        continue;
      }
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (IOException taken) {
        // another one
      }
    }
  }

  /** Waits until {@code port} accepts connections. */
  ProxyProcess awaitPort(int port) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    while (true) {
      try {
        RawClient.connect(port).close();
        return this;
      } catch (IOException notYet) {
        // the process is given the core between two looks
        boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
        assertThat(ended || System.nanoTime() - deadline > 0)
            .as("not listening on %s: %s", port, output())
            .isFalse();
      }
    }
  }

  /** Waits until the output has something that matches. */
  ProxyProcess awaitOutput(String regex) throws IOException, InterruptedException {
    Pattern pattern = Pattern.compile(regex);
    long deadline = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    while (!pattern.matcher(output()).find()) {
      boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
      assertThat(ended || System.nanoTime() - deadline > 0)
          .as("nothing like %s in: %s", regex, output())
          .isFalse();
    }
    return this;
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  Path outputFile() {
    return output;
  }

  Process process() {
    return process;
  }

  /** Sends a signal by name. */
  void signal(String name) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    assertThat(status).isZero();
  }

  int awaitExit() throws InterruptedException {
    assertThat(process.waitFor(2L * RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    return process.exitValue();
  }

  /**
   * Asks it to end, so that it tidies up (Squid's shared memory), and again, so that it cuts
   * requests in progress; then makes it.
   */
  @Override
  public void close() throws IOException {
    try {
      for (int waited = 0; waited < PATIENCE_MILLIS; waited += AGAIN_MILLIS) {
        process.destroy();
        if (process.waitFor(AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while a process ended");
    } finally {
      process.destroyForcibly();
    }
  }
}
