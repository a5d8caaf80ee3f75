package io.loligo.server.exchange.settings.pages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AcceptedFormTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/problem+json",
        "APPLICATION/JSON",
        "application/json, text/plain, */*",
        "application/json;charset=utf-8, */*;q=0.8",
        "text/html;q=0.5, application/json",
        "text/html;q=0.8, application/problem+json;q=0.9, application/json;q=0.1",
        "text/*, application/json",
        "text/html;q=0.2, text/*, application/json;q=0.5",
        "application/*, application/problem+json;q=0.2, text/html;q=0.1, application/json",
        "application/json;q=0.001, text/html;q=0",
        "application/json ; q = 0.4 , */* ; q=0.3",
      })
  void jsonIsPreferred(String accept) {
    assertThat(AcceptedForm.prefersJson(accept, false)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*/*",
        "",
        "application/*",
        "text/html, application/json",
        "application/json, text/html",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "application/json;q=0.5, */*",
        "application/json;q=0",
        "application/json;q=0, application/problem+json;q=0, text/plain",
        "application/ld+json",
        "application/jsonx",
        "image/png",
        "application/json;q=0.9, text/*",
      })
  void htmlIsPreferred(String accept) {
    assertThat(AcceptedForm.prefersJson(accept, false)).isFalse();
  }

  @Test
  void withoutTheFieldItIsHtml() {
    assertThat(AcceptedForm.prefersJson(null, false)).isFalse();
  }

  @Test
  void rangesBeyondTheLimitDoNotCount() {
    String many = "a/b,".repeat(AcceptedForm.MOST_RANGES);
    assertThat(AcceptedForm.prefersJson(many + "application/json", false)).isFalse();
    assertThat(AcceptedForm.prefersJson(many.substring(4) + "application/json", false)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"*/*", "", "image/png", "text/html, application/json", "text/*, */*;q=0"})
  void theFormOfTheConfigurationDecidesWhereNoneIsPreferred(String accept) {
    assertThat(AcceptedForm.prefersJson(accept, true)).isEqualTo(!accept.startsWith("text/*"));
    assertThat(AcceptedForm.prefersJson(accept, false)).isFalse();
    assertThat(AcceptedForm.prefersJson(null, true)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "text/html",
        "application/json;q=0, */*;q=0",
      })
  void aPreferenceForHtmlHolds(String accept) {
    assertThat(AcceptedForm.prefersJson(accept, true)).isFalse();
  }
}
