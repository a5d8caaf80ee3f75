package io.loligo.store.disk.medium;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A read or write of a slab, for Java Flight Recorder. Confined to one thread. */
@Name("loligo.DiskOperation")
@Label("Disk Operation")
@Category("Loligo")
@Description("A read or write in a cache_dir, without its wait for a disk thread")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
@StackTrace(false)
@Threshold("10 ms")
final class DiskOperationEvent extends Event {
  private static final DiskOperationEvent PROBE = new DiskOperationEvent();

  @Label("Operation")
  @Description("read, write, or cached: a read from the page cache on an event loop")
  private @Nullable String operation;

  @Label("File")
  private @Nullable String file;

  @Label("Position")
  @DataAmount
  private long position;

  @Label("Size")
  @DataAmount
  private long size;

  @Label("Failure")
  @Description("Why it failed; null if it succeeded")
  private @Nullable String failure;

  private DiskOperationEvent() {}

  /** An operation begins; null: nothing records it, and nothing was allocated. */
  static @Nullable DiskOperationEvent begun() {
    if (!PROBE.isEnabled()) {
      return null;
    }
    DiskOperationEvent event = new DiskOperationEvent();
    event.begin();
    return event;
  }

  /**
   * Records it, if it took long enough.
   *
   * @param what it did
   * @param path of the file
   * @param at position in the file, bytes
   * @param bytes read or written
   * @param cause why it failed; null: it succeeded
   */
  void ended(String what, String path, long at, long bytes, @Nullable Exception cause) {
    end();
    if (!shouldCommit()) {
      return;
    }
    operation = what;
    file = path;
    position = at;
    size = bytes;
    failure = cause == null ? null : cause.toString();
    commit();
  }
}
