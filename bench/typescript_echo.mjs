// The tool of the benchmark over HTTP.

export const tools = {
  echo: {
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    call: ({ text }) => text,
  },
};
