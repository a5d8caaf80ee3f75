package io.loligo.server.admin;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pages and changes of the admin port by path. The parts of the process add theirs before the
 * port listens. Thread-safe: any thread.
 */
public final class AdminPages {
  private final Map<String, AdminPage> pages = new ConcurrentHashMap<>();
  private final Map<String, AdminChange> changes = new ConcurrentHashMap<>();
  private final Map<String, Function<String, @Nullable AdminPage>> folders =
      new ConcurrentHashMap<>();

  /** Without a page. */
  public AdminPages() {}

  /** Adds a page. {@code path} begins with a slash and is not taken. */
  public void add(String path, AdminPage page) {
    if (pages.putIfAbsent(path, page) != null) {
      throw new IllegalArgumentException("two pages for " + path);
    }
  }

  /** Adds a page whose response is made at once: {@code page} gets the parameters. */
  public void addNow(String path, Function<Map<String, List<String>>, AdminReply> page) {
    add(path, parameters -> CompletableFuture.completedFuture(page.apply(parameters)));
  }

  /** Adds a page of JSON that is made at once. */
  public void addJson(String path, Supplier<String> json) {
    addNow(path, parameters -> AdminReply.json(200, json.get()));
  }

  /**
   * Adds a folder, for pages that are made when one of them is first asked for.
   *
   * @param folder its first part of a path, such as {@code /assets}
   * @param pages gives the page of a path in the folder; null: there is none
   */
  void addFolder(String folder, Function<String, @Nullable AdminPage> pages) {
    if (folders.putIfAbsent(folder, pages) != null) {
      throw new IllegalArgumentException("two folders " + folder);
    }
  }

  /** Adds a change. {@code path} begins with a slash; there may be a page of that path. */
  public void addChange(String path, AdminChange change) {
    if (changes.putIfAbsent(path, change) != null) {
      throw new IllegalArgumentException("two changes for " + path);
    }
  }

  /** Null: there is none. */
  @Nullable AdminChange changeAt(String path) {
    return changes.get(path);
  }

  /** Null: there is none. */
  @Nullable AdminPage at(String path) {
    AdminPage page = pages.get(path);
    int end = path.indexOf('/', 1);
    if (page != null || end < 0) {
      return page;
    }
    Function<String, @Nullable AdminPage> folder = folders.get(path.substring(0, end));
    return folder == null ? null : folder.apply(path);
  }
}
