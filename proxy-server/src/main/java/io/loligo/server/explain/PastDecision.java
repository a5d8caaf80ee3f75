package io.loligo.server.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The treatment of a finished request. Immutable. */
public final class PastDecision {
  private final long endMillis;
  private final String method;
  private final int status;
  private final int serverStatus;
  private final LogTag tag;
  private final @Nullable CacheDecision decision;
  private final Map<Stage, Integer> stageMicros;
  private final boolean collapsed;
  private final boolean fromDisk;
  private final boolean aborted;
  private final @Nullable String notStored;
  private final @Nullable String requestId;

  private PastDecision(Builder from) {
    endMillis = from.endMillis;
    method = from.method;
    status = from.status;
    serverStatus = from.serverStatus;
    tag = from.tag;
    decision = from.decision;
    stageMicros = from.stageMicros;
    collapsed = from.collapsed;
    fromDisk = from.fromDisk;
    aborted = from.aborted;
    notStored = from.notStored;
    requestId = from.requestId;
  }

  /** A request with this tag, and without the other facts. */
  public static Builder of(LogTag tag) {
    return new Builder(tag);
  }

  /** Wall clock when its response was complete. */
  public long endMillis() {
    return endMillis;
  }

  /** Its name, or the empty string for an unknown one. */
  public String method() {
    return method;
  }

  /** Sent. */
  public int status() {
    return status;
  }

  /** Received from the next hop; 0: no request was sent. */
  public int serverStatus() {
    return serverStatus;
  }

  /** As in the access log. */
  public LogTag tag() {
    return tag;
  }

  /** Null if none was made. */
  public @Nullable CacheDecision decision() {
    return decision;
  }

  /** From its head to the end of its response; -1: not measured. */
  public long micros() {
    return stageMicros.getOrDefault(Stage.TOTAL, -1);
  }

  /** Microseconds of each stage that occurred, in their order. */
  public Map<Stage, Integer> stageMicros() {
    return stageMicros;
  }

  /** Whether it shared the fetch of another exchange. */
  public boolean collapsed() {
    return collapsed;
  }

  /** Whether a disk was read for it. */
  public boolean fromDisk() {
    return fromDisk;
  }

  /** Whether it was cut. */
  public boolean aborted() {
    return aborted;
  }

  /** Why the response of the next hop was not stored; null if it was, or no request was sent. */
  public @Nullable String notStored() {
    return notStored;
  }

  /** Its id; null if it has none. */
  public @Nullable String requestId() {
    return requestId;
  }

  /** Collects the facts. Confined to one thread. */
  public static final class Builder {
    private long endMillis;
    private String method = "";
    private int status;
    private int serverStatus;
    private final LogTag tag;
    private @Nullable CacheDecision decision;
    private Map<Stage, Integer> stageMicros = Map.of();
    private boolean collapsed;
    private boolean fromDisk;
    private boolean aborted;
    private @Nullable String notStored;
    private @Nullable String requestId;

    private Builder(LogTag tag) {
      this.tag = tag;
    }

    /** See {@link PastDecision#endMillis}. */
    public Builder endMillis(long endMillis) {
      this.endMillis = endMillis;
      return this;
    }

    /** See {@link PastDecision#method}. */
    public Builder method(String method) {
      this.method = method;
      return this;
    }

    /** See {@link PastDecision#status}. */
    public Builder status(int status) {
      this.status = status;
      return this;
    }

    /** See {@link PastDecision#serverStatus}. */
    public Builder serverStatus(int serverStatus) {
      this.serverStatus = serverStatus;
      return this;
    }

    /** See {@link PastDecision#decision}. */
    public Builder decision(@Nullable CacheDecision decision) {
      this.decision = decision;
      return this;
    }

    /** See {@link PastDecision#stageMicros}. */
    public Builder stageMicros(Map<Stage, Integer> stageMicros) {
      this.stageMicros = Collections.unmodifiableMap(stageMicros);
      return this;
    }

    /** See {@link PastDecision#collapsed}. */
    public Builder collapsed(boolean collapsed) {
      this.collapsed = collapsed;
      return this;
    }

    /** See {@link PastDecision#fromDisk}. */
    public Builder fromDisk(boolean fromDisk) {
      this.fromDisk = fromDisk;
      return this;
    }

    /** See {@link PastDecision#aborted}. */
    public Builder aborted(boolean aborted) {
      this.aborted = aborted;
      return this;
    }

    /** See {@link PastDecision#notStored}. */
    public Builder notStored(@Nullable String notStored) {
      this.notStored = notStored;
      return this;
    }

    /** See {@link PastDecision#requestId}. */
    public Builder requestId(@Nullable String requestId) {
      this.requestId = requestId;
      return this;
    }

    /** The values set so far. */
    public PastDecision build() {
      return new PastDecision(this);
    }
  }
}
