// Reads server-sent events from the body of a response.

/** The data of each event, as it comes. */
export async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      const events = rest.split(/\r\n\r\n|\n\n|\r\r/);
      rest = events.pop();
      for (const event of events) {
        const data = event
          .split(/\r\n|\n|\r/)
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).replace(/^ /, ""));
        if (data.length && data.join("")) yield data.join("\n");
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
