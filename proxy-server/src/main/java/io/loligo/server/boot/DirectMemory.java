package io.loligo.server.boot;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.loligo.server.launch.GivenSizes;
import io.loligo.store.disk.DiskMemory;
import java.lang.management.ManagementFactory;

/**
 * The direct memory that the JVM grants, and its share for buffers. Stateless.
 *
 * <p>The JVM does not refuse direct memory at once: it collects garbage and sleeps, half a second
 * per buffer, while an event loop serves nobody. Netty, which counts its buffers too, refuses in
 * microseconds: so it gets a limit of its own that is reached first.
 */
final class DirectMemory {
  /** The property from which Netty reads its limit, once, when its first class is initialised. */
  static final String BUFFER_LIMIT = "io.netty.maxDirectMemory";

  /** Neither buffers nor indexes: logs, records, and the JVM's own file buffers. */
  static final long OTHERS_BYTES = 4L << 20;

  /** The limit chosen at the start of the JVM; not positive: none. */
  private static final long CHOSEN_BYTES = Long.getLong(BUFFER_LIMIT, 0);

  private DirectMemory() {}

  /** Total limit: {@code -XX:MaxDirectMemorySize}, its default, or less. */
  static long limitBytes() {
    return CHOSEN_BYTES > 0 ? Math.min(CHOSEN_BYTES, grantedBytes()) : grantedBytes();
  }

  private static long grantedBytes() {
    long option = option("MaxDirectMemorySize");
    return option > 0 && option < Long.MAX_VALUE ? option : Runtime.getRuntime().maxMemory();
  }

  /** The JVM's option {@code name} in bytes; {@link Long#MAX_VALUE} if it is not set. */
  static long option(String name) {
    long given = GivenSizes.bytes(name);
    if (given == GivenSizes.UNKNOWN) {
      return knownToTheJvm(name);
    }
    return given == GivenSizes.DEFAULT ? Long.MAX_VALUE : given;
  }

  static long knownToTheJvm(String name) {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      VMOption option = options == null ? null : options.getVMOption(name);
      return option == null || option.getOrigin() == VMOption.Origin.DEFAULT
          ? Long.MAX_VALUE
          : Long.parseLong(option.getValue());
    } catch (IllegalArgumentException unknown) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Gives Netty its limit, beside the memory of {@code disk}, unless one was chosen at the start of
   * the JVM. Call it before Netty's first class is loaded.
   */
  static void limitBuffers(DiskMemory disk) {
    if (CHOSEN_BYTES == 0) {
      System.setProperty(BUFFER_LIMIT, Long.toString(bufferBytes(limitBytes(), disk.indexBytes())));
    }
  }

  /** The part of {@code limitBytes} for buffers, beside indexes of {@code indexBytes}. */
  static long bufferBytes(long limitBytes, long indexBytes) {
    return Math.max(1, limitBytes - indexBytes - OTHERS_BYTES);
  }
}
