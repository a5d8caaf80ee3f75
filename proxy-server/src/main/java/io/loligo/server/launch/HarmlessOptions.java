package io.loligo.server.launch;

import java.util.List;
import java.util.Set;

/**
 * Options of a JVM that choose neither collector nor memory, and that two JVMs, one after the
 * other, may both act on. Each unknown option is the operator's choice. Stateless.
 *
 * <p>Left out on purpose: agents and the management agent, because their ports and descriptors of
 * the first JVM stay open in the second.
 *
 * <p>Without patterns: the launcher asks at each start, and a pattern makes lambdas, which take a
 * JVM longer than all the rest.
 */
final class HarmlessOptions {
  private static final Set<String> WORDS =
      Set.of("-cp", "-classpath", "-p", "-server", "-showversion");

  /** Each may be followed by a colon and more. */
  private static final Set<String> WITH_COLON =
      Set.of(
          "-ea",
          "-esa",
          "-da",
          "-dsa",
          "-enableassertions",
          "-enablesystemassertions",
          "-disableassertions",
          "-disablesystemassertions",
          "-verbose",
          // a file of a log is begun again
          "-Xlog",
          // a recording of the first JVM is never written
          "-XX:StartFlightRecording",
          "-XX:FlightRecorderOptions");

  private static final List<String> WITH_VALUE =
      List.of(
          "-Xshare:",
          "-XX:StartFlightRecording=",
          "-XX:FlightRecorderOptions=",
          "-XX:NativeMemoryTracking=",
          "-XX:TieredStopAtLevel=",
          "-XX:ArchiveRelocationMode=",
          // effects of a failure
          "-XX:HeapDumpPath=",
          "-XX:ErrorFile=",
          "-XX:OnError=",
          "-XX:OnOutOfMemoryError=");

  private static final Set<String> SWITCHED_ON =
      Set.of("DebugNonSafepoints", "PreserveFramePointer", "EnableDynamicAgentLoading");

  /** Switched on or off. */
  private static final Set<String> SWITCHES =
      Set.of(
          "TieredCompilation",
          "UnlockDiagnosticVMOptions",
          "UnlockExperimentalVMOptions",
          "UsePerfData",
          "PerfDisableSharedMem",
          "DisableAttachMechanism",
          "HeapDumpOnOutOfMemoryError",
          "ExitOnOutOfMemoryError",
          "CrashOnOutOfMemoryError");

  /** Those of packages and modules are harmless, these are not. */
  private static final List<String> OTHER_LONG =
      List.of("--enable-preview", "--dry-run", "--validate", "--list", "--describe");

  private static final String SWITCH = "-XX:";

  private HarmlessOptions() {}

  static boolean contain(String option) {
    if (option.startsWith("-D")) {
      return !option.startsWith("-Dcom.sun.management.");
    }
    if (option.startsWith("--")) {
      return !beginsWithOne(option, OTHER_LONG);
    }
    if (option.startsWith(SWITCH) && option.length() > SWITCH.length() + 1) {
      String name = option.substring(SWITCH.length() + 1);
      char sign = option.charAt(SWITCH.length());
      if (sign == '+' || sign == '-') {
        return SWITCHES.contains(name) || (sign == '+' && SWITCHED_ON.contains(name));
      }
    }
    int colon = option.indexOf(':', option.startsWith(SWITCH) ? SWITCH.length() : 0);
    return WORDS.contains(option)
        || WITH_COLON.contains(colon < 0 ? option : option.substring(0, colon))
        || beginsWithOne(option, WITH_VALUE);
  }

  /** Whether {@code option} begins with one of {@code begins}. */
  static boolean beginsWithOne(String option, List<String> begins) {
    for (String begin : begins) {
      if (option.startsWith(begin)) {
        return true;
      }
    }
    return false;
  }
}
