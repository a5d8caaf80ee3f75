package io.loligo.server.launch;

import java.util.regex.Pattern;

/**
 * Options of a JVM that choose neither collector nor memory, and that two JVMs, one after the
 * other, may both act on. Each unknown option is the operator's choice. Stateless.
 *
 * <p>Left out on purpose: agents and the management agent, because their ports and descriptors of
 * the first JVM stay open in the second.
 */
final class HarmlessOptions {
  private static final Pattern HARMLESS =
      Pattern.compile(
          String.join(
              "|",
              "-D(?!com\\.sun\\.management\\.).*",
              "-e(a|sa)(:.*)?|-d(a|sa)(:.*)?",
              "-(enable|disable)(system)?assertions(:.*)?",
              "-cp|-classpath|-p|-server|-showversion",
              "-verbose(:.*)?",
              // packages and modules
              "--(?!enable-preview|dry-run|validate|list|describe).*",
              // a file of a log is begun again; a recording of the first JVM is never written
              "-Xlog(:.*)?",
              "-XX:(StartFlightRecording|FlightRecorderOptions)([:=].*)?",
              "-Xshare:.*",
              "-XX:NativeMemoryTracking=.*",
              // the JIT compiler
              "-XX:TieredStopAtLevel=.*|-XX:[+-]TieredCompilation",
              "-XX:[+-]Unlock(Diagnostic|Experimental)VMOptions",
              "-XX:\\+(DebugNonSafepoints|PreserveFramePointer|EnableDynamicAgentLoading)",
              "-XX:[+-](UsePerfData|PerfDisableSharedMem|DisableAttachMechanism)",
              // effects of a failure
              "-XX:[+-](HeapDumpOnOutOfMemoryError|ExitOnOutOfMemoryError|CrashOnOutOfMemoryError)",
              "-XX:(HeapDumpPath|ErrorFile|OnError|OnOutOfMemoryError)=.*"));

  private HarmlessOptions() {}

  static boolean contain(String option) {
    return HARMLESS.matcher(option).matches();
  }
}
