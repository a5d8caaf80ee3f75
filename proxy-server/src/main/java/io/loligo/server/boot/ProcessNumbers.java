package io.loligo.server.boot;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The system's numbers of this process. Stateless; any thread that may read a file. */
final class ProcessNumbers {
  private static final Path STAT = Path.of("/proc/self/stat");
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String MOST_RESIDENT = "VmHWM:";

  /** The place of {@code majflt} after the name of the program (proc(5)). */
  private static final int MAJOR_FAULTS = 10;

  private ProcessNumbers() {}

  /** Processor time so far; 0: unknown. */
  static long cpuNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? Math.max(0, system.getProcessCpuTime())
        : 0;
  }

  /** Page faults that read from a disk, so far; 0 if unknown. */
  static long majorPageFaults() {
    try {
      String text = Files.readString(STAT, StandardCharsets.ISO_8859_1);
      String[] fields = text.substring(text.lastIndexOf(')') + 1).strip().split(" ", -1);
      return Long.parseLong(fields[MAJOR_FAULTS - 1]);
    } catch (IOException | NumberFormatException | IndexOutOfBoundsException noLinux) {
      return 0;
    }
  }

  /** The most memory that the process had in RAM; 0: unknown. */
  static long mostResidentBytes() {
    try {
      List<String> lines = Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1);
      for (String line : lines) {
        if (line.startsWith(MOST_RESIDENT)) {
          String kilobytes = line.substring(MOST_RESIDENT.length()).replace("kB", "").strip();
          return Long.parseLong(kilobytes) * 1024;
        }
      }
    } catch (IOException | NumberFormatException noLinux) {
      return 0;
    }
    return 0;
  }
}
