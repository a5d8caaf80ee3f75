package io.loligo.server.cli;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.CacheFolders;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.ProcessDirectives;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Squid's command line: {@code -f FILE} starts, {@code -k} signals the process whose number is in
 * {@code pid_filename}. Statuses are Squid's: 0, or 1 for every failure. Main thread.
 */
final class SquidCommandLine {
  private static final int FAILED = 1;

  private final SquidArguments arguments;
  private final String programName;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * @param programName {@code loligo}, or {@code squid} where scripts call it so
   */
  SquidCommandLine(SquidArguments arguments, String programName, PrintWriter out, PrintWriter err) {
    this.arguments = arguments;
    this.programName = programName;
    this.out = out;
    this.err = err;
  }

  /** Does the work that the options request. Returns the exit status. */
  int run() {
    int status;
    try {
      status = act();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      status = refuse("interrupted");
    }
    out.flush();
    err.flush();
    return status;
  }

  private int act() throws InterruptedException {
    if (arguments.problem() != null) {
      return refuse(arguments.problem());
    }
    return switch (arguments.action()) {
      case VERSION -> {
        for (String line : new Versioning.OfOption().getVersion()) {
          out.println(line);
        }
        yield 0;
      }
      case HELP -> {
        out.print(HELP);
        yield 0;
      }
      case CREATE_FOLDERS -> createFolders();
      case SIGNAL -> signal();
      case START -> start();
    };
  }

  private int start() {
    arguments.remarks().forEach(this::say);
    if (!arguments.foreground()) {
      say("stays in the foreground, as Squid does with -N; a service manager or & puts it behind");
    }
    err.flush();
    return Running.run(arguments.configuration(programName), arguments.debugLevel(), false);
  }

  private int createFolders() {
    ProxyConfig config = config();
    if (config == null) {
      return FAILED;
    }
    DiskSettings disk = DiskSettings.of(config);
    try {
      CacheFolders.prepare(disk);
    } catch (IOException e) {
      return refuse(String.valueOf(e.getMessage()));
    }
    for (CacheDir dir : disk.dirs()) {
      out.println("cache_dir " + dir.path() + " is there");
    }
    return 0;
  }

  private int signal() throws InterruptedException {
    String name = arguments.signal();
    if (name.equals("parse")) {
      return Checking.check(arguments.configuration(programName), false, false, false);
    }
    if (name.equals("debug")) {
      return refuse("-k debug: set debug_options and reload, or change a level by JMX");
    }
    if (name.equals("restart")) {
      return refuse("-k restart: restart the service, or stop it (-k shutdown) and start it again");
    }
    // as in Squid, a file with errors gets no signal: a reload would be refused
    ProxyConfig config = config();
    if (config == null) {
      return FAILED;
    }
    String pidFile = config.get(ProcessDirectives.PID_FILENAME);
    if (pidFile == null) {
      return refuse(
          arguments.configuration(programName)
              + " has no pid_filename, so the process is not known; next: add one and restart, or"
              + " use loligo reload, rotate and drain");
    }
    try {
      ProcessHandle process = process(Path.of(pidFile));
      return name.equals("check") ? 0 : send(signalOf(name), process.pid());
    } catch (IOException e) {
      return refuse(String.valueOf(e.getMessage()));
    }
  }

  private static String signalOf(String word) {
    return switch (word) {
      case "reconfigure" -> "HUP";
      case "rotate" -> "USR1";
      case "shutdown" -> "TERM";
      case "interrupt" -> "INT";
      default -> "KILL";
    };
  }

  /** The running process of a pid file. */
  private static ProcessHandle process(Path pidFile) throws IOException {
    String text;
    try {
      text = Files.readString(pidFile).strip();
    } catch (NoSuchFileException e) {
      throw new IOException("no running copy: there is no " + pidFile, e);
    } catch (IOException e) {
      throw new IOException(pidFile + " cannot be read: " + e, e);
    }
    if (!text.matches("[1-9][0-9]{0,9}")) {
      throw new IOException(pidFile + " has no process number: " + text);
    }
    Optional<ProcessHandle> found = ProcessHandle.of(Long.parseLong(text));
    if (found.isEmpty() || !found.get().isAlive()) {
      throw new IOException("no running copy: process " + text + " of " + pidFile + " has ended");
    }
    // after a crash and a restart of the machine, the number may be another program's
    Optional<String> program = found.get().info().command();
    if (program.isPresent() && !Path.of(program.get()).getFileName().toString().equals("java")) {
      throw new IOException(
          "no running copy: process " + text + " of " + pidFile + " is " + program.get());
    }
    return found.get();
  }

  /** Every POSIX shell has the command itself. */
  private int send(String signal, long pid) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("/bin/sh", "-c", "kill -s " + signal + " " + pid)
            .redirectErrorStream(true)
            .start();
    String answer =
        new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return kill.waitFor() == 0 ? 0 : refuse("process " + pid + " got no " + signal + ": " + answer);
  }

  /** Null: it has errors, which are printed. */
  private @Nullable ProxyConfig config() {
    Path file = arguments.configuration(programName);
    ConfigResult result = Features.reader(new FileConfigSource()).read(file.toString());
    if (result.config() == null) {
      result.errors().stream().map(ConfigProblem::text).forEach(err::println);
      say(file + " has errors (see: loligo check " + file + ")");
    }
    return result.config();
  }

  private int refuse(String why) {
    say(why);
    return FAILED;
  }

  private void say(String text) {
    err.println(programName + ": " + text);
  }

  private static final String HELP =
      """
      Usage: loligo [-NzvhX] [-f FILE] [-d LEVEL] [-k SIGNAL]   (Squid's command line)
             loligo --help                                      (all commands)

        -f FILE    configuration; default: /etc/loligo/loligo.conf, or /etc/squid/squid.conf under the name squid
        -k WORD    acts on the process whose number is in pid_filename:
                   reconfigure  reads the file again (SIGHUP)
                   rotate       reopens the logs (SIGUSR1)
                   shutdown     drains and ends (SIGTERM)
                   interrupt    drains and ends (SIGINT)
                   kill         ends at once (SIGKILL)
                   check        status 0 if it runs, else 1
                   parse        judges the file: status 0 if the proxy would start, else 1
        -N         in the foreground, which is always so
        -z         makes the folders of cache_dir, and ends
        -d LEVEL   messages on the standard output: 0 warnings, 1 events, more everything
        -X         the same as -d 9
        -v         shows the version
        -C -D -F -R -S -Y -s -l FACILITY -u PORT -n NAME   are accepted, without effect

      Exit status: 0, or 1 for every failure.
      """;
}
