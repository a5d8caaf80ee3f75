package io.loligo.bench.capacity;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The JVM's own log of the times at which it stops all threads, from {@link #begin} to {@link
 * #end}. Confined to one thread.
 */
final class SafepointLog {
  /**
   * One stop.
   *
   * @param cause the JVM's name of the operation
   * @param nanos from the request to stop until the threads run again
   */
  record Pause(String cause, long nanos) {}

  private static final Pattern LINE =
      Pattern.compile(".*Safepoint \"(\\w+)\".*Total:\\s*(\\d+) ns.*");

  private final Path file;

  private SafepointLog(Path file) {
    this.file = file;
  }

  /** Lets the JVM write its log from now on. */
  static SafepointLog begin() throws IOException {
    Path file = Files.createTempFile("safepoints", ".log");
    log("output=" + file, "what=safepoint=info", "output_options=filecount=0");
    return new SafepointLog(file);
  }

  /** Ends the log. Returns its pauses in order. */
  List<Pause> end() throws IOException {
    log("output=" + file, "what=all=off");
    List<Pause> pauses = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      Matcher pause = LINE.matcher(line);
      if (pause.matches()) {
        pauses.add(new Pause(pause.group(1), Long.parseLong(pause.group(2))));
      }
    }
    Files.delete(file);
    return pauses;
  }

  private static void log(String... settings) throws IOException {
    try {
      ManagementFactory.getPlatformMBeanServer()
          .invoke(
              new ObjectName("com.sun.management:type=DiagnosticCommand"),
              "vmLog",
              new Object[] {settings},
              new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new IOException("no log of safepoints", e);
    }
  }
}
