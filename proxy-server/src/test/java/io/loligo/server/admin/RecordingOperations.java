package io.loligo.server.admin;

import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.server.explain.SampleExplanation;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Operations that a test sees, and that are done at once. Thread-safe where its list is. */
public abstract class RecordingOperations implements Operations {
  private final List<String> calls;

  /** Each call adds a line to {@code calls}. */
  protected RecordingOperations(List<String> calls) {
    this.calls = calls;
  }

  /** How the next reload ends. */
  protected abstract Reloaded reloaded();

  @Override
  public CompletableFuture<Explanation> explain(Question question) {
    String client = question.client() == null ? "" : " " + question.client();
    String port = question.portName() == null ? "" : " " + question.portName();
    String content = question.content().isEmpty() ? "" : " " + question.content();
    calls.add(
        "explain "
            + question.method()
            + " "
            + question.url()
            + " "
            + question.fieldLines()
            + client
            + port
            + content);
    return question.url().endsWith("/busy")
        ? CompletableFuture.failedFuture(new IllegalStateException("busy"))
        : CompletableFuture.completedFuture(SampleExplanation.of(question.url()));
  }

  @Override
  public String resizeCacheMemory(long bytes) {
    calls.add("resize " + bytes);
    if (bytes > 1000) {
      throw new IllegalArgumentException("value: " + bytes + " (expected: at most 1000)");
    }
    return "resized";
  }

  @Override
  public void rotateLogs() {
    calls.add("rotate");
  }

  @Override
  public CompletableFuture<Reloaded> reload() {
    calls.add("reload");
    return CompletableFuture.completedFuture(reloaded());
  }

  @Override
  public void drain() {
    calls.add("drain");
  }

  @Override
  public boolean ready() {
    return !calls.contains("drain");
  }

  @Override
  public String notReadyReason() {
    return ready() ? "" : "draining";
  }
}
