package io.loligo.store.disk.write;

import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.SegmentBuffer;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Writes full buffers, and the footers of sealed segments. Thread-safe: any thread submits; disk
 * threads write.
 */
public final class SegmentWriting implements Segments.Writing {
  private final DiskThreads threads;
  private final Supplier<DirectoryContext> context;

  /** Tasks that were submitted after the threads had ended. */
  private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();

  /**
   * @param context the open directory when a buffer is full
   */
  public SegmentWriting(DiskThreads threads, Supplier<DirectoryContext> context) {
    this.threads = threads;
    this.context = context;
  }

  @Override
  public void flush(SegmentBuffer buffer) {
    DirectoryContext now = context.get();
    submit(() -> flushNow(now, buffer));
  }

  @Override
  public void foot(Segment segment) {
    DirectoryContext now = context.get();
    submit(() -> footNow(now, segment));
  }

  private void submit(Runnable task) {
    if (!threads.write(task, 0, true)) {
      late.add(task);
    }
  }

  /** Writes the rest. The threads have ended. */
  public void finish() {
    for (Runnable task = late.poll(); task != null; task = late.poll()) {
      task.run();
    }
  }

  /** Drops the rest. */
  public void giveUp() {
    late.clear();
  }

  private static void flushNow(DirectoryContext now, SegmentBuffer buffer) {
    if (!buffer.tryHold()) {
      return; // it was given up
    }
    try {
      now.journal().flush();
      now.blocks().write(buffer);
      if (now.segments().flushed(buffer)) {
        footNow(now, buffer.segment());
      }
    } catch (IOException | RuntimeException | Error e) {
      now.broken().accept(e);
    } finally {
      buffer.release();
    }
  }

  private static void footNow(DirectoryContext now, Segment segment) {
    try {
      List<Contents.Entry> entries =
          now.catalogue().contents().of(segment.number(), segment.generation());
      int bytes = entries.stream().mapToInt(Contents.Entry::bytes).sum();
      int pages = Segments.footerBytes(bytes);
      ByteBuf footer = now.blocks().buffer(pages);
      try {
        footer.writeZero(pages - bytes - Contents.HEAD_BYTES);
        int from = footer.writerIndex();
        for (Contents.Entry entry : entries) {
          Contents.write(entry, footer);
        }
        ByteBuf all = footer.slice(from, bytes);
        int head = footer.writerIndex();
        footer.writeZero(Contents.HEAD_BYTES);
        Contents.head(footer, head, segment.generation(), segment.number(), entries.size(), all);
        now.blocks().writeFooter(segment.number(), footer);
      } finally {
        footer.release();
      }
    } catch (OutOfMemoryError e) {
      now.transit().shortage().met(e, "a footer on disk"); // a start can do without a footer
    } catch (IOException | RuntimeException | Error e) {
      now.broken().accept(e);
    } finally {
      now.segments().unpin(SlabPlace.of(segment.number(), 0));
    }
  }
}
