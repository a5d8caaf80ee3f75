package io.loligo.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AdminPagesTest {
  private static final AdminPage PAGE = answering("page");
  private static final AdminPage OTHER = answering("other");

  private final AdminPages pages = new AdminPages();
  private final List<String> asked = new ArrayList<>();

  private static AdminPage answering(String text) {
    return parameters -> CompletableFuture.completedFuture(AdminReply.text(200, text));
  }

  @Test
  void aFolderIsAskedForPathsBelowItOnly() {
    pages.addFolder(
        "/assets",
        path -> {
          asked.add(path);
          return path.equals("/assets/1/a") ? PAGE : null;
        });
    assertThat(pages.at("/assets/1/a")).isSameAs(PAGE);
    assertThat(pages.at("/assets/1/b")).isNull();
    assertThat(pages.at("/assets")).isNull();
    assertThat(pages.at("/assetsx/1/a")).isNull();
    assertThat(pages.at("/x/assets/1/a")).isNull();
    assertThat(pages.at("")).isNull();
    assertThat(asked).containsExactly("/assets/1/a", "/assets/1/b");
  }

  @Test
  void aPageOfItsOwnComesBeforeAFolder() {
    pages.addFolder("/assets", path -> PAGE);
    pages.add("/assets/own", OTHER);
    assertThat(pages.at("/assets/own")).isSameAs(OTHER);
    assertThatIllegalArgumentException().isThrownBy(() -> pages.addFolder("/assets", path -> null));
  }
}
