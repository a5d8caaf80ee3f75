package io.loligo.store.disk.record;

/**
 * A page of a mapped file that could not be had: the file was cut, or its disk does not answer.
 * Stateless.
 *
 * <p>HotSpot notes the fault, goes on with whatever it read, and throws an {@link InternalError}
 * where it looks the next time, which is anywhere: in the caller, or where a lock is to be
 * released, which then is not. It looks when compiled code comes back from a call into the virtual
 * machine. On JDK 17 neither the return from a method nor that from a native method is one; an
 * array of arrays of a size that the compiler does not know is.
 */
final class PageFault {
  /** Always 0, and not final, so that the compiler does not know. */
  @SuppressWarnings("FieldMayBeFinal") // a constant would be folded
  private static volatile int none;

  private PageFault() {}

  /**
   * Ends the use of a mapping.
   *
   * @throws InternalError a page could not be had since the last call
   */
  static void notice() {
    int size = none;
    Object ignored = new byte[size][size];
  }
}
